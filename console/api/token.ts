import { signal } from '@preact/signals';

const KEY = 'signalbox.token';

/** The token of this tab; gone when it is closed. */
export const token = signal(sessionStorage.getItem(KEY) ?? '');

/** Whether the server wants a token that it was not shown. */
export const isLocked = signal(false);

/** Keeps the token for this tab and lets the pages ask again. */
export function unlock(text: string): void {
  sessionStorage.setItem(KEY, text);
  token.value = text;
  isLocked.value = false;
}

/** Forgets the token. */
export function lock(): void {
  sessionStorage.removeItem(KEY);
  token.value = '';
  isLocked.value = true;
}
