import { render } from 'preact';

import { App } from './app.tsx';
import { followTheme } from './theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/overview.css';
import './styles/decisions.css';
import './styles/pages.css';

followTheme();
const place = document.getElementById('app');
if (place !== null) render(<App />, place);
