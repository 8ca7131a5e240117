import { readNumbers } from './number.ts';
import type { Word } from '@dramaturg/compiler/text';

/** A unit: what it measures, and how many seconds, grams or metres it has. */
interface Unit {
  readonly kind: string;
  readonly size: number;
}

// cspell:disable
const units = new Map(
  `time 1 s sec second
  time 60 min mins minute minuten minuto minuti
  time 3600 h hr hrs hour stunde stunden heure hora ora ore
  time 86400 day night tag tage nacht nächte jour nuit día dia noche noite giorno giorni notte notti
  time 604800 week woche wochen semaine semana settimana settimane
  time 2629746 month monat monate mois mes meses mese mesi mês
  time 31556952 yr yrs year jahr jahre année ans año años anno anni ano anos
  weight 1 g gram gramm gramme gramo grammo grammi grama
  weight 28.3495 oz ounce
  weight 453.592 lb lbs pound
  weight 6350.29 st stone
  weight 1000 kg kilo kilogram kilogramm kilogramo quilo
  length 0.01 cm centimetre centimeter
  length 0.3048 ft foot feet
  length 1 m metre meter metro
  length 1000 km kilometre kilometer
  length 1609.344 mi mile`
    .split(/\n\s*/u)
    .flatMap((line) => {
      const [kind = '', size, ...names] = line.split(' ');
      return names.map((name) => [name, { kind, size: Number(size) }] as const);
    }),
);
// cspell:enable

/** The unit that a question names: "in kilograms", "how many nights". */
export function unitOf(words: readonly Word[]): Unit | undefined {
  return words.map(({ singular }) => units.get(singular)).find(Boolean);
}

/** The unit after a number, if it measures the same as the wanted one. */
export function unitAfter(
  words: readonly Word[],
  end: number,
  wanted: Unit | undefined,
): Unit | undefined {
  const after = words.find((word) => word.start >= end);
  const unit = after && after.start < end + 3 ? units.get(after.singular) : undefined;
  return unit?.kind === wanted?.kind ? unit : undefined;
}

/** The first number in the wanted unit, with the ones after it: "1 hour 30 min" is 90 minutes. */
export function inUnit(
  wanted: Unit | undefined,
  [first, ...more]: readonly { readonly value: number; readonly end: number }[],
  words: readonly Word[],
): number {
  const sizeOf = (end = 0) => unitAfter(words, end, wanted)?.size ?? 0;
  if (!first || !wanted || sizeOf(first.end) === 0) return first?.value ?? 0;
  let sum = first.value * sizeOf(first.end);
  let size = sizeOf(first.end);
  // "1 hour 30 min" is one duration; "210 days, no, 120 days" is two.
  const clauseAt = (at: number) => words.find((word) => word.start >= at)?.clause;
  for (const { value, end } of more) {
    if (sizeOf(end) >= size || clauseAt(end) !== clauseAt(first.end)) break;
    size = sizeOf(end);
    sum += value * size;
  }
  return Number((sum / wanted.size).toPrecision(6));
}

/** "An hour and a half" is "1.5 hour", and "2h" is "2 h". */
export function withPlainUnits(text: string): string {
  return text
    .replaceAll(/(?<!\p{L})(?:an? |one )?fortnight/giu, '2 weeks')
    .replaceAll(/\bhalf an? (?=hour|minute)/giu, '0.5 ')
    .replaceAll(
      /(?<!\p{L}|\d |once |twice |times )(?:an?|one|eine?|une?|una?|uma?) (hour|minute|day|night|week|month|year|monat|jahr|mois|année|mes|año|mese|anno|stunde|heure|hora|ora)(?!\p{L})( and a half| et demie| y media| e mezza| e meia)?/giu,
      (said: string, unit: string, half: string | undefined, at: number, all: string) =>
        // "Ten a day" is a rate.
        readNumbers(all.slice(0, at)).length > 0 ? said : `${half ? 1.5 : 1} ${unit}`,
    )
    .replaceAll(/(?<=\d)h(\d\d)(?!\d)/gu, ' h $1 min')
    .replaceAll(/(?<=\d)(?=(?:h|min|s|k?g|lbs?|oz|[ck]?m|ft)\b)/giu, ' ');
}
