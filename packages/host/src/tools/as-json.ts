import { type Json, PortError, type PortName } from '@dramaturg/compiler';

/** Converts the result of a user's function to JSON, and measures its length. `undefined` becomes null. */
export function asJson(
  value: unknown,
  what: string,
  port: PortName,
): { readonly value: Json; readonly size: number } {
  try {
    const text = JSON.stringify(value) ?? 'null';
    return { value: JSON.parse(text) as Json, size: text.length };
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new PortError('port/bad-output', port, `${what} is not JSON: ${because}`, { cause });
  }
}
