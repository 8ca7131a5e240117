import { randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';
import { ChatError } from '../http/chat-error.ts';

const algorithm = 'HS256';
const issuer = 'dramaturg-web-chat';

const claims = z.looseObject({
  sub: z.string().min(1),
  definition: z.string().min(1),
  customer: z.boolean(),
  name: z.string().optional(),
});

/** The session of a customer ends soon after the last page that the customer opened while logged in. */
const customerDays = 1;

/** Makes and checks the tokens of visitors. A token is a JWT that the channel has signed, so nothing is stored. */
export class Sessions {
  readonly #key: Uint8Array;
  readonly #audience: string;
  readonly #days: number;

  /** @param audience the name of the channel: tokens of another channel are not accepted */
  constructor(secret: string, audience: string, days: number) {
    this.#key = new TextEncoder().encode(secret);
    this.#audience = audience;
    this.#days = days;
  }

  /** Makes a token for a visitor, valid from now on. */
  issue({ contact, definition, isCustomer, name }: Visitor): Promise<string> {
    const days = isCustomer ? customerDays : this.#days;
    return new SignJWT({ definition, customer: isCustomer, ...(name !== undefined && { name }) })
      .setProtectedHeader({ alg: algorithm })
      .setIssuer(issuer)
      .setAudience(this.#audience)
      .setSubject(contact)
      .setIssuedAt()
      .setExpirationTime(`${days} days`)
      .sign(this.#key);
  }

  /**
   * Finds the visitor by the token of a request.
   *
   * @throws ChatError with the status 401 when the token is missing, forged, expired or of another channel
   */
  async visitorOf({ headers }: Request): Promise<Visitor> {
    const token = /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
    if (token === undefined) throw noSession();
    try {
      const { payload } = await jwtVerify(token, this.#key, {
        algorithms: [algorithm],
        issuer,
        audience: this.#audience,
        requiredClaims: ['exp'],
      });
      const { sub: contact, definition, customer, name } = claims.parse(payload);
      return { contact, definition, isCustomer: customer, ...(name !== undefined && { name }) };
    } catch (cause) {
      if (cause instanceof errors.JOSEError || cause instanceof z.ZodError) throw noSession(cause);
      throw cause;
    }
  }
}

/** Makes an anonymous visitor. The id cannot be guessed. */
export function newVisitor(definition: string): Visitor {
  return { contact: `web:${randomUUID()}`, definition, isCustomer: false };
}

function noSession(cause?: unknown): ChatError {
  return new ChatError(
    401,
    'chat/no-session',
    'The session is missing, has expired or is not valid.',
    {
      cause,
    },
  );
}

/** The user of a chat. */
export interface Visitor {
  /** `web:` and a random id, or the contact that the customer's server has signed. */
  readonly contact: string;
  /** The definition that the visitor talks to. */
  readonly definition: string;
  /** Whether the customer's server has signed the identity. */
  readonly isCustomer: boolean;
  /** Given by the customer's server. */
  readonly name?: string;
}
