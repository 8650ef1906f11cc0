// Colours of the 3-D scene in the light and in the dark theme. style.css has the colours of the page.

export interface Palette {
  zenith: number;
  horizon: number;
  ground: number;
  gridLine: number;
  sun: number;
  sunIntensity: number;
  skyLight: number;
  groundLight: number;
  skyIntensity: number;
}

export type ThemeName = "light" | "dark";

export const kPalettes: Record<ThemeName, Palette> = {
  light: {
    zenith: 0x6f9fd8,
    horizon: 0xe3ebf3,
    ground: 0xd3d9df,
    gridLine: 0x6f7f90,
    sun: 0xfff1dc,
    sunIntensity: 2.7,
    skyLight: 0xdbe8f7,
    groundLight: 0xb3aca3,
    skyIntensity: 1.5,
  },
  dark: {
    zenith: 0x05070b,
    horizon: 0x222c39,
    ground: 0x535d69,
    gridLine: 0x808d9c,
    sun: 0xfff0dc,
    sunIntensity: 2.1,
    skyLight: 0xa9bddb,
    groundLight: 0x5a5a60,
    skyIntensity: 1.75,
  },
};
