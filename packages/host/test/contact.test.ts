import { expect, test } from 'vitest';
import { emailAddress, telephoneNumber } from '../src/channel/toolkit/index.ts';
import { lookalikes } from '@dramaturg/testing';

/** The canonical form, or undefined for what is refused. */
function formOf(canonical: (written: string) => string, written: string): string | undefined {
  try {
    return canonical(written);
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'channel/rejected') return undefined;
    throw error;
  }
}

const number = '+56912345678';

test.each([
  number,
  '+56 9 1234 5678',
  ' +56-9-1234-5678 ',
  '+56 (9) 1234.5678',
  '\u00a0+569\u20091234\t5678',
])('the number %j is one contact', (written) => expect(telephoneNumber(written)).toBe(number));

test.each([
  '',
  '+',
  '912345678',
  '56912345678',
  '0056912345678',
  '+056912345678',
  '++56912345678',
  '+56 (0) 9 1234 5678',
  '+56912345678x1',
  'whatsapp:+56912345678',
  '+５６９１２３４５６７８',
  '+1234',
  '+1234567890123456',
  '+56912345678\u200b',
  '+56912345678;ext=1',
  '+56912345678/9',
  `+${'1'.repeat(100_000)}`,
])('%j is no telephone number', (written) => {
  expect(formOf(telephoneNumber, written)).toBeUndefined();
});

test.each([
  ['ada@example.org', 'ada@example.org'],
  [' Ada@Example.ORG ', 'ada@example.org'],
  ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
  ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
  ['ada@ｅｘａｍｐｌｅ.org', 'ada@example.org'],
  ['ADA+desk@localhost', 'ada+desk@localhost'],
  ['É@example.org', 'É@example.org'],
  ['\u212a@example.org', '\u212a@example.org'],
])('the address %j is the contact %j', (written, contact) => {
  expect(emailAddress(written)).toBe(contact);
  expect(emailAddress(contact)).toBe(contact);
});

test.each([
  '',
  'ada',
  'ada@',
  '@example.org',
  'a@b, c@d',
  'Ada <ada@example.org>',
  '"a b"@example.org',
  'a\r\nBcc: c@d.example',
  'ada@example.org#x',
  'ada@example.org/x',
  'ada@example.org:25',
  'ada@[192.0.2.1]',
  'ada@010.1',
  'ada@0x7f.1',
  'ada@evil。example',
  'ada@example.org.',
  'ada@example..org',
  'ada@exam\u200bple.org',
  `${'a'.repeat(65)}@example.org`,
  `ada@${'a.'.repeat(200)}org`,
  `${'a@'.repeat(100_000)}x`,
])('%j is no address of e-mail', (written) => {
  expect(formOf(emailAddress, written)).toBeUndefined();
});

test.each([
  [telephoneNumber, number],
  [emailAddress, 'ada@example.org'],
])('no id that looks like one is taken for another address: %o', (canonical, id) => {
  const strangers = lookalikes(id).filter(
    (each) => each.replace(/^[\s\u00a0\ufeff]+|[\s\u00a0\ufeff]+$/g, '') !== id,
  );
  const taken = strangers.filter((each) => formOf(canonical, each) === id);

  // What people write differently for the same address, and nothing else.
  expect(taken).toEqual(
    canonical === telephoneNumber
      ? [
          `${number.slice(0, 6)}-${number.slice(6)}`,
          `${number.slice(0, 6)}.${number.slice(6)}`,
          `${number.slice(0, 6)} ${number.slice(6)}`,
          `(${number}`,
          `${number})`,
          `${number}.`,
        ]
      : [id.toUpperCase(), id.slice(0, 8).toUpperCase() + id.slice(8)],
  );
});
