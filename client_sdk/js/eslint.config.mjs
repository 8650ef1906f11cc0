// ESLint for the SDK, the viewer, their tests and tools: `npm run lint`. TypeScript gets rules with types,
// .mjs files rules without. Prettier formats; this file adds the maximum line length of comments and texts.
import eslint from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/** One habit for names: camelCase, PascalCase for types, kUpperCamel for constants. */
const kNaming = [
  { selector: "default", format: ["camelCase"], leadingUnderscore: "forbid", trailingUnderscore: "forbid" },
  // Imports keep the names of their modules.
  { selector: "import", format: null },
  { selector: "variable", format: ["camelCase"] },
  { selector: "parameter", format: ["camelCase"] },
  { selector: "parameter", modifiers: ["unused"], format: ["camelCase"], leadingUnderscore: "allow" },
  { selector: ["variable", "parameter"], filter: "^_$", format: null },
  { selector: "typeLike", format: ["PascalCase"] },
  { selector: "typeParameter", format: ["PascalCase"] },
  // Names of schemas, scenes, events and HTTP headers are data.
  { selector: ["objectLiteralProperty", "objectLiteralMethod"], modifiers: ["requiresQuotes"], format: null },
  {
    selector: ["variable", "parameter", "classProperty", "typeProperty", "objectLiteralProperty"],
    filter: "^WebSocket$|^Socket$",
    format: null,
  },
];
/** Keys that are names of schemas/protocol.fbs, of scenes or of their enums. */
const kSchemaKeys = {
  selector: ["objectLiteralProperty", "objectLiteralMethod", "typeProperty"],
  format: null,
};

const kRules = {
  "array-callback-return": "error",
  curly: ["error", "multi-line"],
  "default-case-last": "error",
  eqeqeq: "error",
  "max-len": ["error", { code: 110, ignoreUrls: true }],
  "no-constructor-return": "error",
  "no-else-return": "error",
  "no-implicit-coercion": ["error", { boolean: false }],
  "no-lonely-if": "error",
  "no-new-wrappers": "error",
  "no-param-reassign": "error",
  "no-promise-executor-return": "off",
  "no-return-assign": ["error", "except-parens"],
  "no-self-compare": "error",
  "no-sequences": "error",
  "no-template-curly-in-string": "error",
  "no-unmodified-loop-condition": "error",
  "no-useless-concat": "error",
  "no-useless-rename": "error",
  "no-useless-return": "error",
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-arrow-callback": "error",
  "prefer-const": "error",
  "prefer-object-has-own": "error",
  "prefer-object-spread": "error",
  "prefer-rest-params": "error",
  "prefer-template": "error",
  radix: "error",
  yoda: "error",
};

export default defineConfig(
  { ignores: ["dist/", "viewer/dist/", "**/node_modules/", "**/vendor/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  eslint.configs.recommended,
  {
    files: ["src/**/*.ts", "viewer/src/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...kRules,
      "@typescript-eslint/consistent-type-exports": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/explicit-member-accessibility": ["error", { accessibility: "no-public" }],
      "@typescript-eslint/naming-convention": ["error", ...kNaming],
      // Indices are in range by construction; `!` has no cost at run time.
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      "@typescript-eslint/prefer-readonly": "error",
      "@typescript-eslint/strict-boolean-expressions": [
        "error",
        { allowNullableBoolean: true, allowNullableObject: true, allowNumber: false, allowString: false },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", ignoreRestSiblings: true }],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: [
      "src/command_fields.ts",
      "src/input_reader.ts",
      "src/message_reader.ts",
      "src/message_writer.ts",
      "src/schema.ts",
      "src/service/{batch,body,definitions,request,reply,schema,service,world}.ts",
      "viewer/src/notices.ts",
    ],
    rules: { "@typescript-eslint/naming-convention": ["error", kSchemaKeys, ...kNaming] },
  },
  {
    files: ["**/*.mjs"],
    plugins: { "@typescript-eslint": tseslint.plugin },
    languageOptions: {
      parser: tseslint.parser,
      globals: Object.fromEntries(
        [
          ["Buffer", "URL", "URLSearchParams", "console", "process", "fetch", "performance"],
          ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "queueMicrotask"],
          ["TextEncoder", "TextDecoder", "WebSocket"],
        ]
          .flat()
          .map((name) => [name, "readonly"]),
      ),
    },
    rules: {
      ...kRules,
      "no-unused-vars": ["error", { argsIgnorePattern: "^_$", varsIgnorePattern: "^_$" }],
      "@typescript-eslint/naming-convention": ["error", kSchemaKeys, ...kNaming],
    },
  },
);
