import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

import type { Me } from '../api/shapes.ts';

/** Who is at the console, once that is known. */
export const Session = createContext<Me | undefined>(undefined);

/** Whether the one at the console may change grants, modes and configuration. */
export function useIsAdmin(): boolean {
  return useContext(Session)?.role === 'admin';
}
