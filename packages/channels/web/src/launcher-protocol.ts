/**
 * Messages between the launcher on a site and the chat in its frame, by `postMessage`. Browsers forbid storage in frames of other
 * sites, so the launcher keeps values for the chat, in the storage of the site.
 */

/**
 * Kept values: the session of an anonymous visitor, unsent messages, the draft, and whether the visitor has a conversation. With
 * the last, the launcher loads the chat on the next page too.
 */
export type KeptName = 'session' | 'outbox' | 'written' | 'talking';

export type ToChat =
  /** The answer to `ready`. */
  | {
      readonly dramaturg: 'begin';
      readonly kept: Readonly<Partial<Record<KeptName, string>>>;
      /** The customer who is logged in on the site, signed by the site's server; null for an anonymous visitor. */
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
