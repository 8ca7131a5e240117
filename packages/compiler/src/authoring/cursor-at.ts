import type { Language } from '../read/read.ts';
import type { Cursor } from './cursor.ts';
import { jsonCursor } from './json-cursor.ts';
import { yamlCursor } from './yaml-cursor.ts';

/** Undefined inside of a comment, of a text of several lines, or where the text cannot be understood at all. */
export function cursorAt(text: string, offset: number, language: Language): Cursor | undefined {
  return language === 'json' ? jsonCursor(text, offset) : yamlCursor(text, offset);
}
