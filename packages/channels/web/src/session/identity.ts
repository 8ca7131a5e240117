import { errors, jwtVerify } from 'jose';
import * as z from 'zod';
import { ChatError } from '../http/chat-error.ts';
import type { Visitor } from './sessions.ts';

/** Maximum validity of an identity, which is made when a page is shown. */
const validHoursMax = 24;

const claims = z.looseObject({
  sub: z
    .string()
    .max(200)
    .refine((text) => text.trim() !== ''),
  name: z.string().trim().min(1).max(100).optional(),
  iat: z.number(),
  exp: z.number(),
});

/**
 * Reads the identity that the customer's server has signed: a JWT (HS256) with `sub`, the contact, and optionally `name`.
 *
 * @throws ChatError with the status 401 when it is forged, expired or valid for longer than a day
 */
export async function identityOf(
  token: string,
  secret: string | undefined,
): Promise<Omit<Visitor, 'definition'>> {
  if (secret === undefined)
    throw refused('This chat does not know customers: it has no secret for identities.');
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
      algorithms: ['HS256'],
      audience: 'dramaturg-web-chat',
      maxTokenAge: `${validHoursMax}h`,
    });
    const { sub: contact, name, iat, exp } = claims.parse(payload);
    if (exp - iat > validHoursMax * 3_600)
      throw refused(`The identity is valid for more than ${validHoursMax} hours.`);
    return { contact, isCustomer: true, ...(name !== undefined && { name }) };
  } catch (cause) {
    if (cause instanceof errors.JOSEError || cause instanceof z.ZodError)
      throw refused('The identity of the customer is not valid.', cause);
    throw cause;
  }
}

function refused(message: string, cause?: unknown): ChatError {
  return new ChatError(401, 'chat/identity', message, { cause });
}
