import type { MapProgram } from '../flow/map.ts';
import { StateTestError } from './state-test-error.ts';
import type { StateTester } from './tester.ts';
import { mockedWork } from './work.ts';

export const testMap: StateTester<MapProgram> = (program, run, { mock, configuration = {} }) => {
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
