import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { toText } from '../../data/to-text.ts';
import type { Task } from '../../definition/index.ts';
import type { StateTester } from '../../test-state/tester.ts';
import { mockedWork } from '../../test-state/work.ts';
import type { TaskProgram } from './program.ts';

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

/**
 * The request that an HTTP Task would send, without the additions of its connection. Spec: AWS "TestState",
 * InspectionDataRequest; AWS "Call HTTPS APIs"
 *
 * @param input the arguments of the Task
 */
function httpRequest(input: Json): JsonObject {
  if (!isRecord(input)) return {};
  const { ApiEndpoint: endpoint, Method: method, Headers: headers, RequestBody: body } = input;
  const url =
    typeof endpoint === 'string' ? endpoint + queryOf(input['QueryParameters']) : undefined;
  return {
    ...(url !== undefined && { protocol: url.split(':', 1)[0]!, url }),
    ...(typeof method === 'string' && { method }),
    ...(isRecord(headers) && { headers: headerText(headers) }),
    ...(body !== undefined && { body: toText(body) }),
  };
}

/** The response that corresponds to the result of an HTTP Task. Spec: AWS "TestState", InspectionDataResponse */
function httpResponse(result: Json): JsonObject {
  if (!isRecord(result)) return {};
  const { StatusCode: code, StatusText: text, Headers: headers, ResponseBody: body } = result;
  return {
    protocol: 'https',
    ...(code !== undefined && { statusCode: toText(code) }),
    ...(text !== undefined && { statusMessage: toText(text) }),
    ...(isRecord(headers) && { headers: headerText(headers) }),
    ...(body !== undefined && { body: toText(body) }),
  };
}

function queryOf(parameters: Json | undefined): string {
  if (!isRecord(parameters)) return '';
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(toText(one))}`),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** `[Accept: text/plain, Range: bytes=0-99]` */
function headerText(headers: JsonObject): string {
  const written = Object.entries(headers).map(
    ([name, value]) =>
      `${name}: ${[value]
        .flat()
        .map((one) => toText(one))
        .join(', ')}`,
  );
  return `[${written.join(', ')}]`;
}
