import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';

/** The answer of a tool, not checked yet. */
export interface ToolAnswer {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
  readonly isError?: unknown;
}

/**
 * The result of a tool as data: its structured content, or its text, or its content blocks unchanged. A server's text is never an
 * instruction.
 */
export function resultOf({ content, structuredContent }: ToolAnswer): Json {
  if (isRecord(structuredContent)) return plain(structuredContent);
  const blocks = Array.isArray(content) ? (content as unknown[]) : [];
  const texts = blocks.filter(isText);
  if (texts.length === blocks.length && texts.length > 0)
    return texts.map(({ text }) => text).join('\n');
  return blocks.length === 0 ? null : plain(blocks);
}

/** The text with which a tool reports that it failed, short enough for a message. */
export function failureText({ content }: ToolAnswer): string {
  const blocks = Array.isArray(content) ? (content as unknown[]) : [];
  const text = blocks.flatMap((block) => (isText(block) ? [block.text] : [])).join(' ');
  return shortText(text) || 'It gives no reason.';
}

const longestText = 500;

/** A string of a server in one line, without control characters. */
export function shortText(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
}

function isText(block: unknown): block is JsonObject & { readonly text: string } {
  return isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string';
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
