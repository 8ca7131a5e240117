import { addons } from 'storybook/manager-api';
import { create } from 'storybook/theming';

addons.setConfig({
  // The stories need the room; the controls are one key away.
  layout: { bottomPanelHeight: 190 },
  theme: create({
    base: globalThis.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    brandTitle: 'Dramaturg workbench',
  }),
});
