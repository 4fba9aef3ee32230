import { theme, THEMES } from '../theme.ts';
import { Icon } from './icon.tsx';

const LABELS = { system: 'Auto', light: 'Light', dark: 'Dark' } as const;

/** Goes through the themes: the machine's, light, dark. */
export function ThemeButton() {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system';
  return (
    <button
      type="button"
      onClick={() => (theme.value = next)}
      aria-label={`Theme: ${LABELS[theme.value]}. Change to ${LABELS[next]}`}
    >
      <Icon name={theme.value} />
      {LABELS[theme.value]}
    </button>
  );
}
