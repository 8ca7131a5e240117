import {
  PortError,
  type PortErrorCode,
  type PortName,
  type Usage,
  usageSchema,
} from '@dramaturg/compiler';
import { z } from 'zod';

/** How often the cause of a cause is kept. */
const mostCauses = 8;

interface Cause {
  /** It was an object that an agent threw, and no error. */
  readonly plain?: true | undefined;
  readonly message?: string | undefined;
  /** The name that an agent gives its failure. */
  readonly error?: string | undefined;
  /** Said by an agent that names its failure, or the error behind this one. */
  readonly cause?: string | Cause | undefined;
}

/** What a port has thrown, as far as a chart can tell. */
export interface Thrown {
  readonly code: PortErrorCode;
  readonly message: string;
  readonly cause?: Cause | undefined;
  /** What the call has cost all the same. */
  readonly usage?: Usage | undefined;
}

const cause: z.ZodType<Cause> = z.strictObject({
  plain: z.literal(true).optional(),
  message: z.string().optional(),
  error: z.string().optional(),
  get cause() {
    return z.union([z.string(), cause]).optional();
  },
});

const codes = [
  'port/not-provided',
  'port/bad-input',
  'port/bad-output',
  'port/failed',
  'port/limit-reached',
] as const;

export const thrown: z.ZodType<Thrown> = z.strictObject({
  code: z.enum(codes satisfies readonly PortErrorCode[]),
  message: z.string(),
  cause: cause.optional(),
  usage: usageSchema.optional(),
});

export function thrownBy({ code, message, cause: behind, usage }: PortError): Thrown {
  const kept = causeOf(behind, mostCauses);
  return { code, message, ...(kept ? { cause: kept } : {}), ...(usage ? { usage } : {}) };
}

export function errorOf(port: PortName, thrownThen: Thrown): PortError {
  const { code, message, cause: behind, usage } = thrownThen;
  return new PortError(code, port, message, {
    ...(behind === undefined ? {} : { cause: errorBehind(behind) }),
    usage,
  });
}

function causeOf(error: unknown, depth: number): Cause | undefined {
  if (typeof error !== 'object' || error === null || depth === 0) return undefined;
  const { error: name, cause: behind, message } = error as Record<string, unknown>;
  const kept = typeof behind === 'string' ? behind : causeOf(behind, depth - 1);
  return {
    ...(error instanceof Error ? {} : { plain: true }),
    ...(typeof message === 'string' ? { message } : {}),
    ...(typeof name === 'string' ? { error: name } : {}),
    ...(kept === undefined ? {} : { cause: kept }),
  };
}

/** An error again where it was one. */
function errorBehind({ plain, message, error, cause: behind }: Cause): object {
  const fields = {
    ...(error === undefined ? {} : { error }),
    ...(behind === undefined
      ? {}
      : { cause: typeof behind === 'string' ? behind : errorBehind(behind) }),
  };
  return plain ? { ...fields, message } : Object.assign(new Error(message), fields);
}
