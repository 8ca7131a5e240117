/**
 * What the launcher on a site and the chat in its frame say to each other, by `postMessage`. Browsers forbid storage to frames of other
 * sites, so the launcher keeps values for the chat, in the storage of the site.
 */

/**
 * The session of an anonymous visitor, messages that are not sent yet, what is written, and whether the visitor has a conversation, so
 * that the launcher loads the chat on the next page too.
 */
export type KeptName = 'session' | 'outbox' | 'written' | 'talking';

export type ToChat =
  /** The answer to `ready`. */
  | {
      readonly dramaturg: 'begin';
      readonly kept: Readonly<Partial<Record<KeptName, string>>>;
      /** The customer who is logged in on the site, signed by the site's server; null for nobody. */
      readonly identity: string | null;
      readonly isShown: boolean;
    }
  | { readonly dramaturg: 'shown'; readonly isShown: boolean }
  | { readonly dramaturg: 'identify'; readonly identity: string | null };

export type FromChat =
  | { readonly dramaturg: 'ready' }
  | { readonly dramaturg: 'close' }
  | { readonly dramaturg: 'keep'; readonly name: KeptName; readonly value: string | null }
  | { readonly dramaturg: 'unread'; readonly count: number };
