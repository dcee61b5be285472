/**
 * What `amof shell-init` adds to a shell besides completion: `acd`, which goes to the clone of a repository.
 *
 * A program cannot change the directory of the shell that started it; a function of the shell can. What is no single
 * directory, such as a page of help, is printed instead.
 */

import { SCRIPTS, type Shell } from "./scripts.ts";

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

const BASH =
  `# amof in bash: completion, and acd to go to a repository. Load it with: eval "$(amof shell-init bash)"

${goTo("printf '%s\\n'")}
${SCRIPTS.bash}
complete -F _amof acd amof-cd
`;

// Without compinit there is nothing to register completion with, and the function is of use all the same.
const ZSH =
  `# amof in zsh: completion, and acd to go to a repository. Load it with: eval "$(amof shell-init zsh)"

${goTo("print -r --")}
if (( \${+functions[compdef]} )); then
${SCRIPTS.zsh}
compdef _amof acd amof-cd
fi
`;

const FISH =
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

const POWERSHELL =
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
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
};
