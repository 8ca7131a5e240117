import type { Word } from '@dramaturg/compiler/text';
import type { NumberReading } from './number.ts';

/** A unit: what it measures, and how many seconds, grams or metres it has. */
interface Unit {
  readonly kind: string;
  readonly size: number;
}

// cspell:disable
const names = {
  time: {
    1: 's sec second',
    60: 'min mins minute minuten minuto minuti',
    3600: 'h hr hrs hour stunde stunden heure hora ora ore',
    86_400:
      'day night tag tage nacht nächte jour nuit día dia noche noite giorno giorni notte notti',
    604_800: 'week woche wochen semaine semana settimana settimane',
  },
  weight: {
    1: 'g gram gramm gramme gramo grammo grammi grama',
    28.3495: 'oz ounce',
    453.592: 'lb lbs pound',
    1000: 'kg kilo kilogram kilogramm kilogramo kilogrammo quilo',
  },
  length: {
    0.001: 'mm millimetre millimeter',
    0.01: 'cm centimetre centimeter zentimeter centímetro centimetro',
    0.3048: 'ft foot feet',
    1: 'm metre meter mètre metro',
    1000: 'km kilometre kilometer kilomètre kilómetro chilometro quilômetro',
    1609.344: 'mi mile',
  },
};
// cspell:enable

const units = new Map<string, Unit>(
  Object.entries(names).flatMap(([kind, sizes]) =>
    Object.entries(sizes).flatMap(([size, each]) =>
      each.split(' ').map((name) => [name, { kind, size: Number(size) }] as const),
    ),
  ),
);

/** The unit that a question names: "in kilograms", "how many nights". */
export function unitOf(words: readonly Word[]): Unit | undefined {
  return words.map(({ singular }) => units.get(singular)).find(Boolean);
}

/** The unit after a number. */
export function unitAfter(
  words: readonly Word[],
  { end }: Pick<NumberReading, 'end'>,
): Unit | undefined {
  const after = words.find((word) => word.start >= end);
  return after && after.start < end + 3 ? units.get(after.singular) : undefined;
}

/** Whether two units measure the same. */
export function isOfKind(unit: Unit | undefined, wanted: Unit | undefined): boolean {
  return unit !== undefined && unit.kind === wanted?.kind;
}

/** The first number in the wanted unit, with the ones after it: "1 hour 30 min" is 90 minutes. */
export function inUnit(
  wanted: Unit | undefined,
  numbers: readonly NumberReading[],
  words: readonly Word[],
): number {
  const parts = numbers.map((each) => ({ unit: unitAfter(words, each), value: each.value }));
  if (!wanted || !isOfKind(parts[0]?.unit, wanted)) return parts[0]?.value ?? 0;
  const fitting = parts.filter(({ unit }) => isOfKind(unit, wanted));
  const sum = fitting.reduce((all, { unit, value }) => all + value * unit!.size, 0);
  return Number((sum / wanted.size).toPrecision(6));
}

/** "An hour and a half" is "1.5 hour", and "2h" is "2 h". */
export function withPlainUnits(text: string): string {
  return text
    .replaceAll(/\bhalf an? (?=hour|minute)/giu, '0.5 ')
    .replaceAll(
      /\b(?:an?|one) (hour|minute|day|night|week)( and a half)?/giu,
      (_, unit: string, half?: string) => `${half ? 1.5 : 1} ${unit}`,
    )
    .replaceAll(/(?<=\d)h(\d\d)(?!\d)/gu, ' h $1 min')
    .replaceAll(/(?<=\d)(?=(?:h|min|s|k?g|lbs?|oz|[cmk]?m|ft)\b)/giu, ' ');
}
