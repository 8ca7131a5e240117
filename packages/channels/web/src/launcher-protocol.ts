/** What the launcher on a site and the chat in its frame say to each other, by `postMessage`. */

export type ToChat =
  | { readonly dramaturg: 'shown'; readonly isShown: boolean }
  /** The customer who is logged in on the site, signed by the site's server; null for nobody. */
  | { readonly dramaturg: 'identify'; readonly identity: string | null };

export type FromChat =
  | { readonly dramaturg: 'ready' }
  | { readonly dramaturg: 'close' }
  /** The visitor has a conversation, so that the launcher loads the chat on the next page too. */
  | { readonly dramaturg: 'talking' }
  | { readonly dramaturg: 'unread'; readonly count: number };
