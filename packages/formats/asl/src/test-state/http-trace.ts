import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { toText } from '../data/to-text.ts';

/**
 * The request that an HTTP Task would send, without what its connection adds. Spec: AWS "TestState",
 * InspectionDataRequest; AWS "Call HTTPS APIs"
 *
 * @param input the arguments of the Task
 */
export function httpRequest(input: Json): JsonObject {
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

/** The response that the result of an HTTP Task stands for. Spec: AWS "TestState", InspectionDataResponse */
export function httpResponse(result: Json): JsonObject {
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
