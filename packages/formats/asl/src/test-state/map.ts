import type { MapProgram } from '../flow/map.ts';
import type { StateTester } from './tester.ts';
import { mockedWork } from './work.ts';

export const testMap: StateTester<MapProgram> = (program, run, { mock, configuration = {} }) => {
  const { mapItemReaderData: data, mapIterationFailureCount: failures = 0 } = configuration;
  const selected = program.flow.select(run);
  const { tolerated } = program.mapWork(run, data ?? selected, data !== undefined);
  if (tolerated !== null && failures > tolerated) {
    const cause = 'The specified tolerated failure threshold was exceeded';
    return { error: 'States.ExceedToleratedFailureThreshold', cause };
  }
  return mockedWork(program, run, mock);
};
