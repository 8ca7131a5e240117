/** Paths of icons, of 24 × 24 units, drawn with a line. */
export const icons = {
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M12 19V5M5.5 11.5L12 5l6.5 6.5',
  attach:
    'M20 11.5l-8.2 8.2a5 5 0 0 1-7.1-7.1l8.6-8.6a3.4 3.4 0 0 1 4.8 4.8l-8.5 8.5a1.7 1.7 0 0 1-2.4-2.4l7.8-7.8',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  down: 'M12 5v14M5.5 12.5L12 19l6.5-6.5',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  chat: 'M21 11.5a8.4 8.4 0 0 1-12.2 7.5L3 21l2-5.8A8.4 8.4 0 1 1 21 11.5z',
} as const;
