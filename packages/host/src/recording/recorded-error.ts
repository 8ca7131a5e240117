import { PortError, type PortErrorCode, type PortName, type Usage } from '@dramaturg/compiler';
import { usageSchema } from '@dramaturg/compiler/machine';
import * as z from 'zod/mini';

/** How many levels of causes are kept. */
const mostCauses = 8;

interface Cause {
  /** Set when an agent threw a plain object instead of an `Error`. */
  readonly plain?: true | undefined;
  readonly message?: string | undefined;
  /** The name that an agent gives to its failure. */
  readonly error?: string | undefined;
  /** An explanation by an agent that names its failure, or the cause of this error. */
  readonly cause?: string | Cause | undefined;
}

/** An error that a port threw: the parts of it that a chart can see. */
export interface RecordedError {
  readonly code: PortErrorCode;
  readonly message: string;
  readonly cause?: Cause | undefined;
  /** The consumption of the failed call. */
  readonly usage?: Usage | undefined;
}

const cause: z.ZodMiniType<Cause> = z.strictObject({
  plain: z.optional(z.literal(true)),
  message: z.optional(z.string()),
  error: z.optional(z.string()),
  get cause() {
    return z.optional(z.union([z.string(), cause]));
  },
});

const codes = [
  'port/not-provided',
  'port/bad-input',
  'port/bad-output',
  'port/failed',
  'port/temporary',
  'port/refused',
  'port/timed-out',
  'port/limit-reached',
] as const;

export const recordedError: z.ZodMiniType<RecordedError> = z.strictObject({
  code: z.enum(codes satisfies readonly PortErrorCode[]),
  message: z.string(),
  cause: z.optional(cause),
  usage: z.optional(usageSchema),
});

export function toRecordedError({
  code,
  message,
  cause: original,
  usage,
}: PortError): RecordedError {
  const kept = toCause(original, mostCauses);
  return { code, message, ...(kept ? { cause: kept } : {}), ...(usage ? { usage } : {}) };
}

export function toPortError(port: PortName, recorded: RecordedError): PortError {
  const { code, message, cause: original, usage } = recorded;
  return new PortError(code, port, message, {
    ...(original === undefined ? {} : { cause: fromCause(original) }),
    usage,
  });
}

function toCause(error: unknown, depth: number): Cause | undefined {
  if (typeof error !== 'object' || error === null || depth === 0) return undefined;
  const { error: name, cause: inner, message } = error as Record<string, unknown>;
  const kept = typeof inner === 'string' ? inner : toCause(inner, depth - 1);
  return {
    ...(error instanceof Error ? {} : { plain: true }),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof name === 'string' ? { error: name } : {}),
    ...(kept === undefined ? {} : { cause: kept }),
  };
}

/** Restores an `Error` as an `Error`, and a plain object as a plain object. */
function fromCause({ plain, message, error, cause: inner }: Cause): object {
  const fields = {
    ...(error === undefined ? {} : { error }),
    ...(inner === undefined ? {} : { cause: typeof inner === 'string' ? inner : fromCause(inner) }),
  };
  return plain ? { ...fields, message } : Object.assign(new Error(message), fields);
}
