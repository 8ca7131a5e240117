import { listed } from './words.ts';
// cspell:disable
/**
 * The word for and, 0 to 19, the tens from 20, other parts and hundreds of a language: the parts of number words, without accents, spaces and hyphens. Of Italian tens, the last vowel is
 * missing before a vowel.
 */
const languages = `
und | null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn | zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig | ein 1 hundert 100 tausend 1000 |
et | zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dixsept dixhuit dixneuf | vingt trente quarante cinquante soixante septante huitante nonante | cent 100 mille 1000 |
y | cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve | veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa | un 1 veinti 20 cien 100 ciento 100 mil 1000 | doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos
e | zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove | venti trenta quaranta cinquanta sessanta settanta ottanta novanta | cento 100 mille 1000 mila 1000 |
e | zero um dois tres quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezasseis dezassete dezoito dezanove | vinte trinta quarenta cinquenta sessenta setenta oitenta noventa | cem 100 cento 100 mil 1000 | duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos
`
  .trim()
  .split('\n')
  .map((row) => {
    const [and, small, tens, others, hundreds] = row
      .split(' |')
      .map((part) => part.trim().split(' '));
    const parts = new Map<string, number>(small!.map((part, value) => [part, value]));
    for (const [index, part] of others!.entries())
      if (index % 2 === 0) parts.set(part, Number(others![index + 1]));
    for (const [index, part] of tens!.entries()) {
      parts.set(part, 20 + 10 * index);
      if (/^venti$|[ae]nta$/u.test(part)) parts.set(part.slice(0, -1), 20 + 10 * index);
    }
    for (const [index, part] of hundreds!.entries()) if (part) parts.set(part, 200 + 100 * index);
    const longestFirst = [...parts.keys()].toSorted((one, other) => other.length - one.length);
    const part = new RegExp(`(${and![0]})?(${longestFirst.join('|')})`, 'y');
    return { parts, and: and![0]!, part };
  });

/** Words that are also English, names or articles. */
const otherWords = listed('once due otto cent cento mille ein un uno um');

/** How many people come: "zu dritt". */
const inGroups = 'zweit dritt viert funft sechst siebt acht neunt zehnt elft zwolft'.split(' ');

/** The number, if the whole text is one, in German, French, Spanish, Italian or Portuguese. */
export function numberAbroad(text: string): number | undefined {
  const plain = text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}|[\s-]/gu, '')
    .replaceAll('ß', 'ss')
    .replace(/(vingt|cent)s$/u, '$1')
    .replace(/cent(?=ott)/u, 'cento');
  if (plain === '' || otherWords.has(plain)) return undefined;
  if (/^(?:anderthalb|eineinhalb)$/u.test(plain)) return 1.5;
  const group = plain.startsWith('zu') ? inGroups.indexOf(plain.slice(2)) : -1;
  if (group >= 0) return group + 2;
  for (const language of languages) {
    const value = numberIn(language, plain);
    if (value !== undefined) return value;
  }
  return undefined;
}

function numberIn(
  { parts, and, part }: (typeof languages)[number],
  text: string,
): number | undefined {
  let thousands = 0;
  let value: number | undefined;
  for (part.lastIndex = 0; part.lastIndex < text.length;) {
    const [, joined, word = ''] = part.exec(text) ?? [];
    const next = parts.get(word);
    if (next === undefined || (joined && value === undefined && thousands === 0)) return undefined;
    if (next === 1000) {
      if (thousands > 0 || value === 0) return undefined;
      thousands = 1000 * (value ?? 1);
      value = undefined;
    } else {
      value = value === undefined ? next : extended(value, next, and, Boolean(joined));
      if (value === undefined) return undefined;
    }
  }
  return thousands + (value ?? 0);
}

/** A number below 1,000 with one more part: 2 and 100, 60 and 11, 4 and 20. */
function extended(before: number, next: number, and: string, joined: boolean): number | undefined {
  const rest = before % 100;
  if (before === 0 || next === 0) return undefined;
  if (next >= 100) return next === 100 && before < 20 ? before * 100 : undefined;
  if (rest === 0) return before + next;
  // Einundzwanzig.
  if (and === 'und' && next >= 20) return joined && rest < 10 ? before + next : undefined;
  if (and === 'et' && rest === 4 && next === 20) return before + 76;
  const isTen = rest >= 20 && rest % 10 === 0;
  const hasTeens = and === 'et' && (rest === 60 || rest === 80);
  return isTen && (next < 10 || (hasTeens && next < 20)) ? before + next : undefined;
}
