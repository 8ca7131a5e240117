import { visible } from '@dramaturg/compiler/text';

/** Makes the control characters of a text visible, except line breaks and tabs. */
export function visibleText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(/([\n\t])/u)
    .map((part) => (part === '\n' || part === '\t' ? part : visible(part)))
    .join('');
}

/** Escapes the characters that a terminal would interpret. The JSON keeps its meaning. */
export function visibleJson(json: string): string {
  return json.replace(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
