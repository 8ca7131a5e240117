import type { Layout } from '../layout.ts';
import { amazonStatesLayout } from './amazon-states/layout.ts';
import { amazonStatesValidationLayout } from './amazon-states-validation/layout.ts';
import { contextGraphLayout } from './context-graph/layout.ts';
import { judgedFilesLayout } from './judged-files/layout.ts';

/** The known layouts, in the order in which they are tried. */
export const layouts: readonly Layout[] = [
  contextGraphLayout,
  amazonStatesLayout,
  amazonStatesValidationLayout,
  judgedFilesLayout,
];
