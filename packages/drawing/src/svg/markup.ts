/** Text for the inside of an element or of an attribute. Characters that XML does not allow are left out. */
export function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** An element with its attributes. Attributes that are undefined or false are left out; true is the empty text. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | boolean | undefined>>,
  inner = '',
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([key, value]) => ` ${key}="${value === true ? '' : escaped(short(value!))}"`)
    .join('');
  return inner === '' ? `<${name}${written}/>` : `<${name}${written}>${inner}</${name}>`;
}

/** Two decimals are more than a screen shows. */
function short(value: string | number | boolean): string {
  if (typeof value === 'number') return String(Math.round(value * 100) / 100);
  return String(value).replace(/\d+\.\d{3,}/g, (number) => String(Math.round(+number * 100) / 100));
}
