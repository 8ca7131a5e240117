import { mapBehaviour } from '../behaviour/map.ts';
import { mapRules } from '../check/map.ts';
import { mapWays } from '../check/flow/map.ts';
import { mapDefinition, type MapState } from '../definition/map.ts';
import { compileMap, type MapProgram } from '../flow/map.ts';
import { mapNode } from '../lower/map.ts';
import { readMap } from '../normalise/map.ts';
import { testMap } from '../test-state/map.ts';
import type { Kind } from './kind.ts';

export const map: Kind<MapState, MapProgram> = {
  definition: mapDefinition,
  read: readMap,
  rules: mapRules,
  ways: mapWays,
  node: mapNode,
  compile: compileMap,
  behaviour: mapBehaviour,
  test: testMap,
};
