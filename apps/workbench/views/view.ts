import type { Locator, Page } from 'playwright';

/** A screen in one size and colour scheme. */
export interface View {
  /** The name of its picture: `plan-1280-dark`. */
  readonly name: string;
  readonly width: number;
  readonly colorScheme: ColorScheme;
  /** Opens the screen, and resolves when everything is drawn. @returns the part to show; all of it when undefined */
  readonly open: (page: Page) => Promise<Locator | void>;
}

export type ColorScheme = 'light' | 'dark';
export type Screen = `${360 | 1280 | 1920}-${ColorScheme}`;

/** Everything that serves some of the views. */
export interface Stage {
  readonly views: readonly View[];
  readonly close: () => Promise<void>;
}

const heights: Readonly<Record<number, number>> = { 360: 740, 1280: 800, 1920: 1080 };

export function heightOf({ width }: View): number {
  return heights[width]!;
}

/** The views of one subject, one for each screen. */
export function viewsOf(
  subject: string,
  screens: readonly Screen[],
  open: View['open'],
): readonly View[] {
  return screens.map((screen) => {
    const [width, colorScheme] = screen.split('-') as [string, ColorScheme];
    return { name: `${subject}-${screen}`, width: Number(width), colorScheme, open };
  });
}
