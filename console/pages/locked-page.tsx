import { useEffect, useRef, useState } from 'preact/hooks';

import { ApiError, ask } from '../api/client.ts';
import { token, unlock } from '../api/token.ts';

/** Asks for the token that the server wants. */
export function LockedPage() {
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<ApiError>();
  useEffect(() => {
    document.title = 'Locked · Signalbox';
    field.current?.focus();
  }, []);

  const enter = async (event: Event): Promise<void> => {
    event.preventDefault();
    const before = token.value;
    token.value = field.current?.value.trim() ?? '';
    try {
      await ask('/v1/me');
      unlock(token.value);
    } catch (refused) {
      token.value = before;
      if (refused instanceof ApiError) setError(refused);
    }
  };

  return (
    <main class="locked">
      <form onSubmit={(event) => void enter(event)}>
        <p class="nameplate">Signalbox</p>
        <h1>This box is locked</h1>
        <p class="soft">
          The server wants a token. It is kept in this tab alone and forgotten when you close it.
        </p>
        {/* Lets password managers tell tokens of several servers apart. */}
        <input type="hidden" name="username" autocomplete="username" value={location.host} />
        <label class="field">
          <span>Token</span>
          <input
            ref={field}
            class="input code"
            type="password"
            required
            autocomplete="current-password"
            spellcheck={false}
          />
        </label>
        {error !== undefined && (
          <p class="fault" role="alert">
            {error.message} <code>{error.code}</code>
          </p>
        )}
        <button class="button main">Unlock</button>
      </form>
    </main>
  );
}
