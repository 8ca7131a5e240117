import type { ValueType } from './definition.ts';

/** The formats of texts, by their names in JSON Schema. Each check takes linear time. */
export const textFormats: Readonly<
  Record<
    NonNullable<ValueType['format']>,
    { readonly what: string; readonly sample: string; readonly fits: (text: string) => boolean }
  >
> = {
  date: { what: 'a date such as 2026-03-15', sample: '2026-03-15', fits: isDate },
  time: { what: 'a time such as 17:30', sample: '17:30', fits: isTime },
  'date-time': {
    what: 'a date and time such as 2026-03-15T17:30',
    sample: '2026-03-15T17:30',
    fits: (text) => /^.{10}T/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  },
  email: {
    what: 'an email address',
    sample: 'ada@example.com',
    fits: (text) =>
      text.length <= 254 && /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(text.trim()),
  },
  phone: {
    what: 'a phone number',
    sample: '+44 20 7946 0000',
    fits: (text) => /^\+?[\d\s()./-]{5,30}$/.test(text) && isPhoneLength(text),
  },
  url: {
    what: 'a web address such as https://example.com',
    sample: 'https://example.com',
    fits: (text) => /^https?:\/\/[^\s/?#]+(?:[/?#]\S*)?$/i.test(text),
  },
};

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** With or without seconds and an offset: people rarely say them. */
function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?$/i.test(text);
}

function isPhoneLength(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').length;
  return digits >= 5 && digits <= 15;
}
