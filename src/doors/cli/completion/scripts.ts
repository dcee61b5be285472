/**
 * The scripts that shells load. All they do is ask `amof complete`, and hand on what it answers.
 *
 * Nothing that was typed or answered is ever evaluated: it is passed as arguments and read line by line. And the
 * answers hold no character that a shell would have to quote. Where a program is completed that has a command line of
 * its own, its name stands first, as behind `amof`. Where `acd` of the helpers is, `path` does.
 */

import { DOOR_WINGS } from "../../wings.ts";

/** The programs besides amof that are completed. */
export const OTHERS = DOOR_WINGS.flatMap(({ programs }) => Object.keys(programs ?? {}));

/**
 * The text as it stands there, with `\${` for the `${` of shells, which is that of templates, too. Between its parts
 * stands what is said of each of the other programs.
 */
function script({ raw }: TemplateStringsArray, ...said: ((name: string) => string)[]): string {
  return raw.map((part, at) =>
    part.replaceAll("\\${", "${") + OTHERS.map((name) => said[at]?.(name) ?? "").join("")
  ).join("");
}

/** How each of them stands in a list behind amof. */
const AND = (name: string) => ` and ${name}`;
const BLANK = (name: string) => ` ${name}`;

// Works from bash 3.2 on, which macOS still has: no `mapfile`, no negative index.
const BASH =
  script`# Completion of amof${AND} in bash. Load it with: eval "$(amof completions bash)"

_amof() {
  local line=$COMP_LINE index last=-1 word typed begun answer quotes
  local -a words=()
  COMPREPLY=()
  line=\${line#*"\${COMP_WORDS[0]}"}
  case \${1##*/} in
${(name) => `    ${name}) words=(${name}) last=0 ;;\n`}    acd | amof-cd) words=(path) last=0 ;;
  esac
  # Bash takes words apart at = and :, too; what no blank separates is one word.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if ((index == 1)) || [[ $line == [[:space:]]* ]]; then
      last=$((last + 1))
      words[last]=$word
    else
      words[last]=\${words[last]}$word
    fi
    line=\${line#*"$word"}
  done
  # Only what stands behind the last such character is replaced.
  typed=\${COMP_WORDS[COMP_CWORD]}
  [[ $typed == [=:] ]] && typed=
  begun=\${words[last]%"$typed"}
  while IFS= read -r answer; do
    if [[ $answer == :directories ]]; then
      quotes=
      compopt -o filenames 2>/dev/null && quotes=1
      while IFS= read -r answer; do
        # Bash 4 quotes names of files itself; the tilde that was typed must stay one.
        [[ $quotes ]] || printf -v answer %q "$answer"
        [[ $quotes || $typed != \~* ]] || answer=\${answer#\\}
        COMPREPLY+=("$answer")
      done < <(compgen -d -- "$typed")
    else
      answer=\${answer%%$'\t'*}
      COMPREPLY+=("\${answer#"$begun"}")
    fi
  done < <(command amof complete -- "\${words[@]}" 2>/dev/null </dev/null)
}

complete -F _amof amof${BLANK}
`;

const ZSH = script`#compdef amof${BLANK}
# Completion of amof${AND} in zsh. Load it with: source <(amof completions zsh)

_amof() {
  local answer meaning index
  local -a line answers
  case \${words[1]:t} in
${(name) => `    ${name}) line=(${name}) ;;\n`}    acd | amof-cd) line=(path) ;;
  esac
  for ((index = 2; index < CURRENT; index++)); do
    line+=("\${(Q)words[index]}")
  done
  line+=("\${(Q)PREFIX}")
  while IFS= read -r answer; do
    if [[ $answer == :directories ]]; then
      compset -P '*='
      _path_files -/
      return
    fi
    meaning=
    [[ $answer == *$'\t'* ]] && meaning=:\${answer#*$'\t'}
    answers+=("\${answer%%$'\t'*}$meaning")
  done < <(command amof complete -- "\${line[@]}" 2>/dev/null </dev/null)
  ((\${#answers})) && _describe -V amof answers
}

if [[ \${funcstack[1]} == _amof ]]; then
  _amof "$@"
else
  compdef _amof amof${BLANK}
fi
`;

const FISH = script`# Completion of amof${AND} in fish. Load it with: amof completions fish | source

function __amof_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program (string replace -r '.*/' '' -- "$words[1]")
    set -e words[1]
    switch "$program"
${(name) => `        case ${name}\n            set -p words ${name}\n`}        case acd amof-cd
            set -p words path
    end
    for answer in (command amof complete -- $words "$typed" 2>/dev/null </dev/null)
        if test "$answer" = :directories
            set -l flag (string match -r -- '^--[^=]+=' "$typed")
            for directory in (__fish_complete_directories (string replace -r -- '^--[^=]+=' '' "$typed"))
                printf '%s\n' "$flag$directory"
            end
        else
            printf '%s\n' "$answer"
        end
    end
end

complete -c amof -f -a '(__amof_complete)'
${(name) => `complete -c ${name} -f -a '(__amof_complete)'\n`}`;

// Windows PowerShell passes no empty argument on, hence `--next`.
const POWERSHELL =
  script`# Completion of amof${AND} in PowerShell. Load it with: amof completions powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName amof${(name) => `, ${name}`} -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $amof = Get-Command amof -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
    if (-not $amof) { return }
    $elements = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
        })
    $words = @('complete')
    if ($wordToComplete -eq '') { $words += '--next' }
    $words += '--'
${(name) =>
    `    if ((Split-Path -Leaf $elements[0]) -match '^${name}(\\.exe)?$') { $words += '${name}' }\n`}    $words += @($elements | Select-Object -Skip 1)
    foreach ($answer in @(& $amof @words 2>$null)) {
        if ($answer -eq ':directories') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete) |
                Where-Object ResultType -EQ 'ProviderContainer'
            continue
        }
        $value, $meaning = $answer -split '\t', 2
        if (-not $meaning) { $meaning = $value }
        $text = if ($value -match '^[-\w./+=]+$') { $value } else { "'$value'" }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $meaning)
    }
}
`;

/** The script of every shell. */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
};

/** The shells there is a script for. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
/** One of {@linkcode SHELLS}. */
type Shell = typeof SHELLS[number];

// What `amof shell-init` adds to a shell besides completion: `acd`, which goes to the clone of a repository.
//
// A program cannot change the directory of the shell that started it; a function of the shell can. What is no single
// directory, such as a page of help, is printed instead.

/** The function of bash and zsh, which print a line in two ways. */
function goTo(print: string): string {
  return `acd() {
  local place
  place=$(command amof path "$@") || return
  if [[ -d $place ]]; then
    builtin cd -- "$place"
  else
    ${print} "$place"
  fi
}
alias amof-cd=acd
`;
}

const BASH_HELPERS =
  `# amof in bash: completion, and acd to go to a repository. Load it with: eval "$(amof shell-init bash)"

${goTo("printf '%s\\n'")}
${SCRIPTS.bash}
complete -F _amof acd amof-cd
`;

// Without compinit there is nothing to register completion with, and the function is of use all the same.
const ZSH_HELPERS =
  `# amof in zsh: completion, and acd to go to a repository. Load it with: eval "$(amof shell-init zsh)"

${goTo("print -r --")}
if (( \${+functions[compdef]} )); then
${SCRIPTS.zsh}
compdef _amof acd amof-cd
fi
`;

const FISH_HELPERS =
  `# amof in fish: completion, and acd to go to a repository. Load it with: amof shell-init fish | source

function acd --description 'Go to the clone of a repository'
    set -l place (command amof path $argv)
    or return
    if test (count $place) -eq 1; and test -d "$place"
        cd "$place"
    else
        printf '%s\\n' $place
    end
end
alias amof-cd acd

${SCRIPTS.fish}
complete -c acd -f -a '(__amof_complete)'
complete -c amof-cd -f -a '(__amof_complete)'
`;

const POWERSHELL_HELPERS =
  `# amof in PowerShell: completion, and acd to go to a repository. Load it with: amof shell-init powershell | Out-String | Invoke-Expression

function Set-AmofLocation {
    param(
        [ArgumentCompleter({
            param($commandName, $parameterName, $wordToComplete)
            $words = @('complete')
            if (-not $wordToComplete) { $words += '--next' }
            $words += @('--', 'path')
            if ($wordToComplete) { $words += $wordToComplete }
            @(& amof @words 2>$null) | ForEach-Object { ($_ -split '\\t', 2)[0] }
        })]
        [string]$Repository
    )
    $words = @('path')
    if ($Repository) { $words += $Repository }
    $place = & amof @words
    if ($LASTEXITCODE -ne 0) { return }
    if ($place -is [string] -and (Test-Path -LiteralPath $place -PathType Container)) {
        Set-Location -LiteralPath $place
    } else {
        $place
    }
}
Set-Alias -Name acd -Value Set-AmofLocation
Set-Alias -Name amof-cd -Value Set-AmofLocation

${SCRIPTS.powershell}`;

/** What every shell loads. */
export const HELPERS: Readonly<Record<Shell, string>> = {
  bash: BASH_HELPERS,
  zsh: ZSH_HELPERS,
  fish: FISH_HELPERS,
  powershell: POWERSHELL_HELPERS,
};
