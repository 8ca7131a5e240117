import type { Task } from '../definition/index.ts';
import type { TaskProgram } from '../flow/task.ts';
import { httpRequest, httpResponse } from './http-trace.ts';
import type { StateTester } from './tester.ts';
import { mockedWork } from './work.ts';

export const testTask: StateTester<TaskProgram> = (program, run, { mock }) => {
  const { flow, state, timeLimits } = program;
  const isHttp = (state as Task).Resource?.endsWith(':states:::http:invoke');
  const selected = flow.select(run);
  timeLimits(run, selected);
  const input = flow.prepare(run, selected);
  if (isHttp) run.inspect?.('request', httpRequest(input));
  const result = mock?.result;
  if (result !== undefined) run.inspect?.('result', result);
  if (result !== undefined && isHttp) run.inspect?.('response', httpResponse(result));
  return mockedWork(program, run, mock);
};
