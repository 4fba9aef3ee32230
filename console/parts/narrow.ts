import { useEffect, useState } from 'preact/hooks';

/** As the style sheets say it. */
const QUERY = '(max-width: 48rem)';

/** Whether the window is as narrow as a phone. */
export function useIsNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(QUERY).matches);
  useEffect(() => {
    const query = matchMedia(QUERY);
    const onChange = (): void => setNarrow(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return isNarrow;
}
