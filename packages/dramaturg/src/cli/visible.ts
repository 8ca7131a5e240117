import { visible } from '@dramaturg/compiler';

/** Text of several lines as it may be shown: line breaks and tabs stay, all else that a terminal would obey is a sign. */
export function visibleText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(/([\n\t])/u)
    .map((part) => (part === '\n' || part === '\t' ? part : visible(part)))
    .join('');
}

/** JSON means the same with these characters escaped, and no terminal obeys it then. */
export function visibleJson(json: string): string {
  return json.replace(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
