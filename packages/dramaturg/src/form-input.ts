import { isRecord, type JsonObject } from '@dramaturg/compiler';
import { formatNamed } from './known-formats.ts';

/** The input of a conversation's actor. Without the key of the form, all fields but `opening` are answers of the form. */
export function inputFor(format: string | undefined, given: JsonObject): JsonObject {
  const key = formatNamed(format)?.form?.key;
  if (key === undefined || isRecord(given[key])) return given;
  const { opening, ...answers } = given;
  return {
    ...(opening === undefined ? {} : { opening }),
    ...(Object.keys(answers).length === 0 ? {} : { [key]: answers }),
  };
}
