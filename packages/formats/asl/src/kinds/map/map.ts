import type { MapState } from '../../definition/index.ts';
import { mapDefinition } from '../../definition/map.ts';
import { StateTestError } from '../../test-state/state-test-error.ts';
import type { StateTester } from '../../test-state/tester.ts';
import { mockedWork } from '../../test-state/work.ts';
import type { Kind } from '../kind.ts';
import { mapBehaviour } from './behaviour.ts';
import { mapNode } from './lowering.ts';
import { compileMap, type MapProgram } from './program.ts';
import { readMap } from './reading.ts';
import { mapRules } from './rules.ts';
import { mapWays } from './ways.ts';

const testMap: StateTester<MapProgram> = (program, run, { mock, configuration = {} }) => {
  const { mapItemReaderData: data, mapIterationFailureCount: failures = 0 } = configuration;
  const selected = program.flow.select(run);
  const read = data === undefined ? undefined : program.reader?.itemsOf(run, selected, data);
  const { inputs, tolerated } = program.mapWork(run, selected, read && [read]);
  if (failures > inputs.length) {
    throw new StateTestError(
      'test-state/wrong-configuration',
      `${failures} iterations cannot have failed: the Map has ${inputs.length}.`,
      `"mapIterationFailureCount" is ${inputs.length} at most with this input.`,
    );
  }
  if (!mock?.errorOutput && failures > (tolerated ?? 0)) {
    const cause = 'The specified tolerated failure threshold was exceeded';
    return { error: 'States.ExceedToleratedFailureThreshold', cause };
  }
  return mockedWork(program, run, mock);
};

export const mapKind: Kind<MapState, MapProgram> = {
  definition: mapDefinition,
  read: readMap,
  rules: mapRules,
  ways: mapWays,
  node: mapNode,
  compile: compileMap,
  behaviour: mapBehaviour,
  test: testMap,
};
