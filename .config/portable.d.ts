/**
 * Globals of Node and of every browser that packages for both use. Their tsconfig.json names this file in place of the types of
 * Node or of the DOM, which would allow all other globals too.
 */
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

interface AbortController {
  readonly signal: AbortSignal;
  abort(): void;
}

declare const AbortController: new () => AbortController;

declare const crypto: { randomUUID(): string };

declare class TextEncoder {
  encode(text: string): Uint8Array;
}

declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean });
  decode(bytes: Uint8Array): string;
}

declare function btoa(bytes: string): string;
declare function atob(base64: string): string;
