import { effect, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'signalbox.theme';

/** The theme that the operator chose; `system` follows the machine. */
export const theme = signal<Theme>(readTheme());

function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((name) => name === kept) ?? 'system';
}

/** Keeps the page in the theme that is chosen. */
export function followTheme(): void {
  effect(() => {
    localStorage.setItem(KEY, theme.value);
    if (theme.value === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme.value;
  });
}
