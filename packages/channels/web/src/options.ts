import * as z from 'zod';
import { defaultWording, type Wording } from './wording.ts';

/** The shortest secret, in characters: shorter ones can be guessed. */
const secretLengthMin = 32;

const secret = (variable: string) =>
  z.string({ error: `is missing: set the variable ${variable}` }).min(secretLengthMin, {
    error: `has fewer than ${secretLengthMin} characters: make one with "openssl rand -base64 32"`,
  });

const name = z.string().min(1);

const options = z.strictObject({
  definitions: z.array(name).min(1).optional(),
  secret: secret('DRAMATURG_WEB_CHAT_SECRET'),
  identitySecret: secret('DRAMATURG_WEB_CHAT_IDENTITY_SECRET').optional(),
  origins: z
    .array(
      z.string().refine((text) => URL.parse(text)?.origin === text && text !== 'null', {
        error: 'is not an origin: write scheme, host and port, such as https://www.example.com',
      }),
    )
    .default([]),
  greet: z.boolean().default(false),
  files: z.boolean().default(true),
  wording: z
    .partialRecord(z.enum(Object.keys(defaultWording) as [keyof Wording]), z.string())
    .default({}),
  language: z
    .string()
    .regex(/^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8})*$/)
    .default('en'),
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, { error: 'is not a colour such as #1d4ed8' })
    .default('#1d4ed8'),
  messagesPerMinute: z.int().positive().default(30),
  sessionDays: z.int().min(1).max(400).default(90),
});

/** The options of a web chat. Spec: docs/web-chat.md */
export interface WebChannelOptions {
  /**
   * The definitions that visitors may talk to. The first is the default, and the embed line names others. By default the one in
   * `orStart` of `serveHost`.
   */
  readonly definitions?: readonly string[] | undefined;
  /** Signs the sessions of visitors. By default the variable `DRAMATURG_WEB_CHAT_SECRET`. At least 32 characters. */
  readonly secret?: string | undefined;
  /**
   * The key with which the customer's server signs identities. By default the variable `DRAMATURG_WEB_CHAT_IDENTITY_SECRET`.
   * Without it, all visitors are anonymous.
   */
  readonly identitySecret?: string | undefined;
  /** Origins of sites that may show the chat: `https://www.example.com`. The service's own origin always may. */
  readonly origins?: readonly string[] | undefined;
  /** Whether the agent speaks first, when a visitor opens the chat. If not, the first message starts the conversation. */
  readonly greet?: boolean | undefined;
  /** Whether visitors can send files to a host that keeps them: its option `attachments`. True by default. */
  readonly files?: boolean | undefined;
  /** Replaces texts of `defaultWording`. */
  readonly wording?: Partial<Wording> | undefined;
  /** The language of the texts, for screen readers and dates: `en`, `pt-BR`. */
  readonly language?: string | undefined;
  /** The colour of the launcher, the header and the visitor's messages: `#1d4ed8`. */
  readonly accent?: string | undefined;
  /** Messages of a visitor in a minute. 30 by default. */
  readonly messagesPerMinute?: number | undefined;
  /** Days after which a visitor who has not come back is forgotten. 90 by default. */
  readonly sessionDays?: number | undefined;
}

export type CheckedOptions = z.output<typeof options> & { readonly wording: Partial<Wording> };

/**
 * Checks options. Secrets that are left out come from the environment.
 *
 * @throws TypeError with all problems
 */
export function checkOptions(
  given: WebChannelOptions,
  environment: Readonly<Record<string, string | undefined>>,
): CheckedOptions {
  const result = options.safeParse({
    ...given,
    secret: given.secret ?? environment['DRAMATURG_WEB_CHAT_SECRET'],
    identitySecret: given.identitySecret ?? environment['DRAMATURG_WEB_CHAT_IDENTITY_SECRET'],
  });
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? `${message}.` : `"${path.join('.')}" ${message}.`,
  );
  throw new TypeError(`The options of the web chat are not valid: ${problems.join(' ')}`);
}
