import { errorsPage } from './docs-errors.ts';
import { pointsPage } from './docs-points.ts';

/** The pages that tables write, by file name in docs/. */
export const PAGES: Readonly<Record<string, () => string>> = {
  'points.md': pointsPage,
  'errors.md': errorsPage,
};
