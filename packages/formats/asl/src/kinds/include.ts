import { includeBehaviour } from '../behaviour/include.ts';
import { includeRules } from '../check/include.ts';
import { includeDefinition, type Include } from '../definition/include.ts';
import { includeNode } from '../lower/include.ts';
import { readInclude } from '../normalise/include.ts';
import { testWork } from '../test-state/work.ts';
import type { Kind } from './kind.ts';

export const include: Kind<Include> = {
  definition: includeDefinition,
  read: readInclude,
  rules: includeRules,
  node: includeNode,
  behaviour: includeBehaviour,
  test: testWork,
};
