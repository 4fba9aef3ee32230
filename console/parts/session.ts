import { useResource } from '../api/resource.ts';
import type { Me } from '../api/shapes.ts';

/** Whether the one at the console may change grants and modes. */
export function useIsAdmin(): boolean {
  return useResource<Me>('/v1/me').value?.role === 'admin';
}
