import { type Json, PortError, type PortName } from '@dramaturg/compiler';

/** What somebody's code returns, as the JSON it stands for, and how long that is. Nothing at all is null. */
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
    throw new PortError('port/bad-output', port, `${what} is no JSON: ${because}`, { cause });
  }
}
