import { problemIn } from '../failure.ts';

/**
 * Server-sent events, each the JSON of a value.
 *
 * @param failureOf the last value when the others fail, in the words of the protocol
 */
export async function* dataFrames(
  values: AsyncIterable<object>,
  failureOf: (code: string, message: string) => object,
): AsyncGenerator<string, void> {
  try {
    for await (const value of values) yield dataFrame(JSON.stringify(value));
  } catch (error) {
    const { code, detail } = problemIn(error) ?? {
      code: 'host/failure',
      detail: 'Dramaturg has failed.',
    };
    yield dataFrame(JSON.stringify(failureOf(code, detail)));
  }
}

export function dataFrame(text: string): string {
  return `data: ${text}\n\n`;
}
