// The colours of the 3-D scene in the light and in the dark theme. The page's own colours are in style.css.

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
    horizon: 0x202a38,
    ground: 0x56606d,
    gridLine: 0xa8b8ca,
    sun: 0xfff0dc,
    sunIntensity: 2.2,
    skyLight: 0xa5b8d4,
    groundLight: 0x3c3e44,
    skyIntensity: 1.15,
  },
};
