import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { ApiError, ask } from './client.ts';
import { isLocked, token } from './token.ts';

/** What a path of the server answers, as far as it is known. */
export interface Resource<T> {
  readonly value: T | undefined;
  /** Of the newest request; the value before it stays. */
  readonly error: ApiError | undefined;
  /** Asks again now. */
  readonly refresh: () => void;
}

/** Reads a path, again every `everyMs` while the page is looked at. An empty path reads nothing. */
export function useResource<T>(path: string, everyMs?: number): Resource<T> {
  const [state, setState] = useState<{ path: string; value?: T; error?: ApiError }>({ path });
  const [round, setRound] = useState(0);
  const refresh = useCallback(() => setRound((count) => count + 1), []);
  const shown = useRef(path);
  shown.current = path;
  const key = token.value;
  const locked = isLocked.value;
  useEffect(() => {
    if (path === '' || locked) return undefined;
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async (): Promise<void> => {
      try {
        if (!document.hidden || everyMs === undefined) {
          const value = await ask<T>(path, { signal: gone.signal });
          if (gone.signal.aborted) return;
          setState({ path, value });
        }
      } catch (error) {
        if (gone.signal.aborted || !(error instanceof ApiError)) return;
        setState((before) => ({
          path,
          error,
          ...(before.path === path && before.value !== undefined && { value: before.value }),
        }));
      }
      if (everyMs !== undefined) timer = setTimeout(() => void read(), everyMs);
    };
    void read();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [path, everyMs, round, key, locked]);
  const isCurrent = state.path === path;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    refresh,
  };
}
