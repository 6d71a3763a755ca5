# The versions of cmake/minimum_versions.txt: kb_check_version() for each thing that was looked for, and then
# kb_require_versions(), which names all that is missing or too old at once.
set(KB_MINIMUM_VERSIONS "${CMAKE_CURRENT_LIST_DIR}/minimum_versions.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${KB_MINIMUM_VERSIONS}")
define_property(GLOBAL PROPERTY KB_UNFIT_PACKAGES BRIEF_DOCS "Debian packages of what is missing or too old")
define_property(GLOBAL PROPERTY KB_UNFIT_LINES BRIEF_DOCS "A line about each of them")

# kb_check_version(NAME FOUND [VERSION]): NAME is that of the table; FOUND is true when it is there, VERSION may have
# more behind its numbers.
function(kb_check_version name found)
  unset(needed)
  file(STRINGS "${KB_MINIMUM_VERSIONS}" rows REGEX "^[^#]")
  foreach(row ${rows})
    if(row MATCHES "^([^ ]+) +([^ ]+) +([^ ]+)" AND CMAKE_MATCH_1 STREQUAL name)
      set(needed "${CMAKE_MATCH_2}")
      set(package "${CMAKE_MATCH_3}")
    endif()
  endforeach()
  if(NOT needed)
    message(FATAL_ERROR "${KB_MINIMUM_VERSIONS} has no row '${name}'")
  endif()
  string(REGEX MATCH "^[0-9]+(\\.[0-9]+)*" version "${ARGN}")
  if(needed STREQUAL "-")
    set(wanted "any version will do")
  else()
    set(wanted "${needed} or newer is needed")
  endif()
  if(NOT found)
    set(line "${name} was not found, ${wanted}")
  elseif(NOT needed STREQUAL "-" AND (version STREQUAL "" OR version VERSION_LESS needed))
    set(line "${name} ${ARGN} was found, ${wanted}")
  else()
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY KB_UNFIT_PACKAGES "${package}")
  set_property(GLOBAL APPEND PROPERTY KB_UNFIT_LINES "${line}: Debian package ${package}")
endfunction()

function(kb_require_versions)
  get_property(packages GLOBAL PROPERTY KB_UNFIT_PACKAGES)
  get_property(lines GLOBAL PROPERTY KB_UNFIT_LINES)
  if(NOT lines)
    return()
  endif()
  list(REMOVE_DUPLICATES packages)
  list(JOIN packages " " packages)
  list(JOIN lines "\n  " lines)
  message(FATAL_ERROR "kernbench cannot be built with what is installed:\n  ${lines}\n"
                      "Install it with: apt-get install ${packages}\n"
                      "The versions are those of Debian 12, the oldest release that is supported and tested. "
                      "They stand in cmake/minimum_versions.txt.")
endfunction()

# kb_find_package(NAME [arguments of find_package]) and kb_find_module(PREFIX NAME), by pkg-config, look for a package
# and note its version.
macro(kb_find_package name)
  find_package(${name} QUIET ${ARGN})
  kb_check_version(${name} "${${name}_FOUND}" "${${name}_VERSION}")
endmacro()
macro(kb_find_module prefix name)
  pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${name})
  kb_check_version(${name} "${${prefix}_FOUND}" "${${prefix}_VERSION}")
endmacro()
