import { nearestName } from '@dramaturg/compiler/text';
import * as z from 'zod';
import { RequestError } from '../failure.ts';

/**
 * Checks the query or the body of a request.
 *
 * @throws RequestError `request/invalid` with the path of each problem
 */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = parsed(schema, value);
  if (result.success) return result.data;
  const { issues } = result.error;
  const errors = issues.flatMap((issue) => errorsOf(issue, schema)).slice(0, errorsMax);
  const [first] = errors;
  const count = issues.reduce((sum, issue) => sum + ('keys' in issue ? issue.keys.length : 1), 0);
  const rest = count > 1 ? ` There are ${count - 1} more problems.` : '';
  throw new RequestError(
    'request/invalid',
    `The request is not valid${first?.path ? ` at ${first.path}` : ''}: ${first?.detail ?? 'unknown'}${first?.detail.endsWith('?') ? '' : '.'}${rest}`,
    { errors },
  );
}

/** Errors that an answer lists. */
const errorsMax = 100;

type Errors = { path: string; detail: string }[];

function errorsOf(issue: z.core.$ZodIssue, schema: z.ZodType): Errors {
  const path = pointer(issue.path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, errorsMax).map((key) => ({
      path: `${path}${pointer([key])}`,
      detail: `There is no such field${meant(key, issue.path.length === 0 ? schema : undefined)}`,
    }));
  return [{ path, detail: issue.message }];
}

function meant(key: string, schema: z.ZodType | undefined): string {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const nearest = nearestName(key, known);
  if (nearest !== undefined) return `: did you mean "${nearest}"?`;
  return known.length === 0 ? '' : `; known fields: ${known.join(', ')}`;
}

/** A JSON Pointer. Spec: RFC 6901 */
function pointer(path: readonly PropertyKey[]): string {
  return path
    .map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    // Deeply nested JSON can exceed the stack.
    if (error instanceof RangeError)
      throw new RequestError('request/invalid', 'The request is nested too deeply.');
    throw error;
  }
}

/**
 * Reads the body of a request as JSON. An empty one is `{}`. The guard has read it, within the limits.
 *
 * @throws RequestError `request/invalid`
 */
export async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RequestError('request/invalid', `The body is not JSON: ${(error as Error).message}.`);
  }
}
