import * as z from 'zod';

/** The meanings of statuses. Spec: RFC 9110, section 15 */
const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** The content type of the body of an error. Spec: RFC 9457 */
export const problemType = 'application/problem+json';

/** The body of an error response. Spec: RFC 9457, docs/service.md#errors */
export const problemSchema = z.object({
  type: z.string(),
  /** The meaning of the status. */
  title: z.string(),
  status: z.number(),
  /** A sentence for people. */
  detail: z.string(),
  /** Stable, for programs: `area/what-is-wrong`. */
  code: z.string(),
  /** The next step for the user. */
  hint: z.string().optional(),
  /** The problems in the request, with JSON Pointers. */
  errors: z.array(z.object({ path: z.string(), detail: z.string() })).optional(),
  /** Details from an instance that has refused an event. */
  refused: z
    .object({
      instance: z.string().optional(),
      state: z.string(),
      accepts: z.array(z.string()),
      retryAfterMs: z.number().optional(),
    })
    .optional(),
});

export type Problem = z.output<typeof problemSchema>;

/**
 * The body of an error response.
 *
 * @param detail a sentence for people
 */
export function problem(
  status: number,
  code: string,
  detail: string,
  extra: Partial<Omit<Problem, 'type' | 'title' | 'status' | 'detail' | 'code'>> = {},
): Problem {
  return {
    type: 'about:blank',
    title: titles[status] ?? 'Error',
    status,
    detail,
    code,
    ...extra,
  };
}

/** An error response. */
export function problemResponse(
  body: Problem,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: { 'content-type': problemType, ...headers },
  });
}
