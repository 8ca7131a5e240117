import type { Layout } from '../layout.ts';
import { contextGraphLayout } from './context-graph/layout.ts';

/** The layouts that are known, in the order in which they are tried. */
export const layouts: readonly Layout[] = [contextGraphLayout];
