/** Icons in a square of 16 pixels, as paths with strokes and without fill. */
export const icons = {
  speech: 'M2.5 3h11v7.5h-6L4 13.5v-3H2.5z',
  fork: 'M8 14V9M8 9L3 3M8 9l5-6M3 6.2V3h3.2M13 6.2V3H9.8',
  bulb: 'M6 12.5h4M6.5 14.5h3M6 12.5c0-2-2.5-2.7-2.5-5.8a4.5 4.5 0 0 1 9 0c0 3.1-2.5 3.8-2.5 5.8',
  memory: 'M10 10l4 4M11.5 6.5a5 5 0 1 1-10 0 5 5 0 0 1 10 0',
  pencil: 'M2.5 13.5l.8-3.2 7.6-7.6 2.4 2.4-7.6 7.6zM9.3 4.3l2.4 2.4',
  wrench:
    'M13.5 4.5a3.7 3.7 0 0 1-5 4.6l-4.7 4.7-1.7-1.7 4.7-4.7a3.7 3.7 0 0 1 4.6-5L9.2 4.6l2.2 2.2z',
  bolt: 'M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z',
  numbers:
    'M6.5 3.5h7M6.5 8h7M6.5 12.5h7M2 2.8l1-.6v3M2 7h1.6L2 9.5h1.7M2 11.3h1.6L2.9 12.4a.8.8 0 1 1-1 1.2',
  bullets: 'M6.5 3.5h7M6.5 8h7M6.5 12.5h7M2 2.5h2v2H2zM2 7h2v2H2zM2 11.5h2v2H2z',
  target:
    'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0M10.8 8a2.8 2.8 0 1 1-5.6 0 2.8 2.8 0 0 1 5.6 0M8 8h.01',
  gear: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v2.2M8 12.3v2.2M1.5 8h2.2M12.3 8h2.2M3.4 3.4L5 5M11 11l1.6 1.6M3.4 12.6L5 11M11 5l1.6-1.6',
  clock: 'M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0M8 4.5V8l2.5 1.8',
  stack: 'M2 5.5h9v8H2zM4.5 5.5v-2h9v8h-2.5',
  lanes: 'M4 2v12M8 2v12M12 2v12',
  check: 'M3 8.5l3.2 3.5L13 4.5',
  cross: 'M4 4l8 8M12 4l-8 8',
  person: 'M8 8a2.9 2.9 0 1 0 0-5.8A2.9 2.9 0 0 0 8 8M2.5 14c.4-3 2.6-4 5.5-4s5.1 1 5.5 4',
  debate: 'M1.5 2.5h8v5.5H5L3 10V8H1.5zM11.5 5.5h3V11H13v2l-2-2H7.5v-1',
  flag: 'M4 14.5V2M4 2.5h8.5L10.5 5.5l2 3H4',
  nested: 'M2 2.5h12v11H2zM5 6h6v4.5H5z',
  question: 'M5.2 5.8A2.8 2.8 0 1 1 8 8.7V10M8 12.8v.2',
  play: 'M4.5 2.8l8 5.2-8 5.2z',
  dot: 'M10.5 8a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0',
  pause: 'M5.5 3v10M10.5 3v10',
  asterisk: 'M8 2.5v11M3.2 5.2l9.6 5.6M12.8 5.2l-9.6 5.6',
  warning: 'M8 2L14.5 13.5h-13zM8 6.5v3.2M8 11.7v.1',
} as const satisfies Readonly<Record<string, string>>;

export type IconName = keyof typeof icons;
/** The side of an icon in pixels. */
export const iconSize = 16;
