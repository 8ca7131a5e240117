/** The place of the launcher on a site. */
export const hostStyle = {
  all: 'initial',
  position: 'fixed',
  right: '20px',
  bottom: '20px',
  'z-index': '2147483000',
} as const;

/** Styles inside the shadow tree of the launcher. The content policy of a site does not matter to them. */
export const launcherStyles = `
:host {
  color-scheme: light dark;
}
[hidden] { display: none !important; }
.launcher {
  position: relative;
  display: grid;
  place-items: center;
  width: 60px;
  height: 60px;
  padding: 0;
  border: 0;
  border-radius: 50%;
  background: var(--accent);
  color: var(--on-accent);
  box-shadow: 0 4px 18px rgb(0 0 0 / 25%);
  cursor: pointer;
  transition: transform 0.15s;
}
.launcher:hover { transform: scale(1.06); }
.launcher:focus-visible { outline: 3px solid light-dark(#16181d, #fff); outline-offset: 3px; }
svg {
  grid-area: 1 / 1;
  width: 28px;
  height: 28px;
  fill: none;
  stroke: currentColor;
  stroke-width: 2;
  stroke-linecap: round;
  stroke-linejoin: round;
}
:host(.open) svg:first-of-type, :host(:not(.open)) svg:last-of-type { display: none; }
.badge {
  position: absolute;
  top: -4px;
  right: -4px;
  min-width: 22px;
  height: 22px;
  padding: 0 6px;
  border-radius: 11px;
  background: #b3261e;
  color: #fff;
  font: 600 13px/22px system-ui, sans-serif;
  text-align: center;
  box-sizing: border-box;
}
.panel {
  /* A frame that is not displayed counts as hidden, and a hidden page gives its connection back. */
  visibility: hidden;
  pointer-events: none;
  position: absolute;
  right: 0;
  bottom: 76px;
  width: min(400px, calc(100vw - 40px));
  height: min(680px, calc(100dvh - 116px));
  border-radius: 16px;
  overflow: hidden;
  background: light-dark(#fff, #16181d);
  box-shadow: 0 10px 44px rgb(0 0 0 / 25%);
}
iframe { display: block; width: 100%; height: 100%; border: 0; color-scheme: light dark; }
:host(.open) .panel { visibility: visible; pointer-events: auto; }
@media (max-width: 480px) {
  :host(.open) .panel { position: fixed; inset: 0; width: 100%; height: 100dvh; border-radius: 0; }
  :host(.open) .launcher { display: none; }
}
@media (prefers-reduced-motion: reduce) { .launcher { transition: none; } }
`;
